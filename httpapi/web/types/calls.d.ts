// What the module answers to calls, in the types that are generated from Go's.
import { Answer, Ask, Moment, ReplayInfo, View } from "../sdk/index";

export interface Calls {
  consider: Ask | null;
  text: string;
  hint: string;
  "replay.open": ReplayInfo;
  "replay.at": Moment;
  verify: Answer;
}
