// What the module answers to calls, in the types that are generated from Go's.
import { Answer, Ask, Hint, Moment, ReplayInfo, View } from "../sdk/index";

export interface Calls {
  consider: Ask | null;
  text: string;
  "hint.picks": Hint;
  "replay.open": ReplayInfo;
  "replay.at": Moment;
  verify: Answer;
}
