// Four short sounds, made here: a card, a trick that is swept, one's own turn, the result of a deal. They are off
// until somebody wants them.
import { setting } from "./core.mjs";

/** Each is notes: when it begins and how long it lasts, in seconds, and its pitch in hertz. @type {Record<string, [number, number, number][]>} */
const notes = {
  card: [[0, 0.05, 220]],
  trick: [[0, 0.06, 330], [0.07, 0.06, 247]],
  turn: [[0, 0.12, 587], [0.13, 0.18, 784]],
  result: [[0, 0.14, 523], [0.15, 0.14, 659], [0.3, 0.3, 784]],
};

/** @type {AudioContext} */
let out;

/** Play a sound, if this browser may. @param {?string} kind */
export function sound(kind) {
  if (!kind || setting("sound", "off") === "off" || !globalThis.AudioContext) return;
  out ||= new AudioContext();
  for (const [begin, length, pitch] of notes[kind]) {
    const tone = out.createOscillator(), loud = out.createGain(), at = out.currentTime + begin;
    tone.frequency.value = pitch;
    tone.type = "triangle";
    loud.gain.setValueAtTime(0.08, at);
    loud.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(loud).connect(out.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}
