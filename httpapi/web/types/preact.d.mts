// What pages use of preact.mjs, for the checker of types alone.

export type Child = object | string | number | boolean | null | undefined | Child[];
export function h(type: string | Function, props?: Record<string, any> | null, ...children: Child[]): object;
export function render(what: object, into: Element): void;
export const Fragment: Function;

export class Component<P = any, S = any> {
  constructor(props: P);
  props: P;
  state: S;
  setState(change: Partial<S> | ((state: S, props: P) => Partial<S>), done?: () => void): void;
  render(props: P, state: S): Child;
}
