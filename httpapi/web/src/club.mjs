import { h } from "./core.mjs";
export const Club = () => h("main");
