// The pages: which one an address names, what stands around it, and settings.
import { h, render, t, speak, set, setting, lang, languages, Link, whenGone } from "./core.mjs";
import { Component } from "./preact.mjs";
import { Landing, Seats, About } from "./pages.mjs";
import { Lobby } from "./lobby.mjs";
import { New, Enter, Join } from "./open.mjs";
import { Play, Watch } from "./play.mjs";

/** A page whose module comes when it is opened: most players open none of these. */
class Later extends Component {
  async componentDidMount() {
    this.setState(await this.props.load().then(Page => ({ Page }), () => ({ failed: true })));
  }

  render({ load, ...props }, { Page, failed }) {
    return Page ? h(Page, props) : h("main", { class: "page" }, failed && h("p", { class: "status alarm", role: "alert" }, t("server.away")));
  }
}

const later = load => props => h(Later, { load, ...props });

/** @type {[RegExp, Function][]} */
const pages = [
  [/^\/$/, Landing], [/^\/lobby$/, Lobby], [/^\/new$/, New], [/^\/seats$/, Seats], [/^\/join$/, Enter], [/^\/j\/(?<code>[^/]+)$/, Join],
  [/^\/t\/(?<id>[0-9a-f]{64})$/, Play], [/^\/about$/, About],
  [/^\/r\/(?<id>[0-9a-f]{64})$/, later(() => import("./replay.mjs").then(m => m.Replay))],
  [/^\/verify$/, later(() => import("./verify.mjs").then(m => m.Verify))],
  [/^\/try$/, later(() => import("./try.mjs").then(m => m.Try))],
  [/^\/club$/, later(() => import("./club.mjs").then(m => m.Club))],
  [/^\/events$/, later(() => import("./events.mjs").then(m => m.Events))],
  [/^\/events\/new$/, later(() => import("./organise.mjs").then(m => m.NewEvent))],
  [/^\/events\/(?<code>[^/]+)$/, later(() => import("./events.mjs").then(m => m.Event))],
];

function page() {
  const path = location.pathname;
  const query = new URLSearchParams(location.search);
  const table = /^\/t\/([0-9a-f]{64})$/.exec(path);
  if (table) return h(query.has("watch") ? Watch : Play, { key: location.href, id: table[1] });
  for (const [form, Page] of pages) {
    const found = form.exec(path);
    if (found) return h(Page, { key: location.href, ...found.groups, query });
  }
  return h("main", { class: "page" }, h("h1", null, t("nothing.here")), h(Link, { href: "/" }, t("home")));
}

/** Settings are a sheet that closes when something else is done. */
class Settings extends Component {
  componentDidMount() {
    this.shut = e => { if (e.type === "keydown" ? e.key === "Escape" : !this.sheet.contains(e.target)) this.sheet.open = false; };
    for (const kind of ["pointerdown", "keydown", "focusin"]) addEventListener(kind, this.shut);
  }

  componentWillUnmount() { for (const kind of ["pointerdown", "keydown", "focusin"]) removeEventListener(kind, this.shut); }

  render() {
    const choose = (name, options, label) => h("label", null, h("span", null, label), " ",
      h("select", { value: setting(name, Object.keys(options)[0]), onChange: e => { set(name, e.target.value); begin(); } },
        Object.entries(options).map(([value, text]) => h("option", { key: value, value }, text))));
    return h("details", { class: "settings", ref: e => { this.sheet = e; } }, h("summary", { "aria-label": `${t("settings")} ${lang().toUpperCase()}` }, h("svg", { viewBox: "0 0 24 24", "aria-hidden": true }, h("path", { d: gear })), h("span", { "aria-hidden": true }, lang().toUpperCase())),
      h("div", { class: "sheet" }, h("label", null, h("span", null, t("language")), " ",
        h("select", { class: "language", value: lang(), onChange: e => { set("lang", e.target.value); begin(); } }, Object.entries(languages).map(([tag, name]) => h("option", { key: tag, value: tag, lang: tag }, name)))),
      choose("theme", { auto: t("theme.auto"), light: t("theme.light"), dark: t("theme.dark") }, t("theme")),
      choose("pack", { fr: t("pack.fr"), de: t("pack.de") }, t("pack")),
      choose("colours", { two: t("colours.two"), four: t("colours.four") }, t("colours")),
      choose("pace", { usual: t("pace.usual"), fast: t("pace.fast") }, t("pace")),
      choose("sound", { off: t("off"), on: t("on") }, t("sound")),
      choose("size", { usual: t("size.usual"), large: t("size.large") }, t("size"))));
  }
}

const gear = "M3 6h10M17 6h4M3 12h4M11 12h10M3 18h8M15 18h6M15 3.5v5M9 9.5v5M13 15.5v5"; // three sliders
const mark = "M5 3h10l4 4v14H5ZM12 7.5l1.3 3.2 3.4.2-2.6 2.2.9 3.3-3-1.8-3 1.8.9-3.3-2.6-2.2 3.4-.2Z";

function App() {
  return h("div", { class: "app" },
    h("header", { class: "top" },
      h("a", { class: "skip", href: "#main", onClick: e => { e.preventDefault(); main().focus(); } }, t("skip")),
      h(Link, { href: "/", class: "brand" }, h("svg", { viewBox: "0 0 24 24", "aria-hidden": true }, h("path", { d: mark })), h("span", null, "pakli")),
      h("nav", { "aria-label": t("nav") }, h(Link, { href: "/lobby" }, t("lobby")), h(Link, { href: "/events" }, t("events")), h(Link, { href: "/verify" }, t("verify")), h(Link, { href: "/try" }, t("nav.try"))),
      h(Settings)),
    h("div", { id: "main", tabIndex: -1 }, page()));
}

const root = document.getElementById("app");
const main = () => document.getElementById("main");
function draw() {
  document.title = "pakli";
  render(h(App, { key: lang() + setting("pack", "fr") }), root);
}

async function begin() {
  await speak();
  Object.assign(document.documentElement.dataset, { theme: setting("theme", "auto"), colours: setting("colours", "two"), size: setting("size", "usual") });
  draw();
}

/** Another page: whoever reads or goes by the keyboard begins at its beginning. */
function gone() {
  draw();
  scrollTo(0, 0);
  main().focus({ preventScroll: true });
}

whenGone(gone);
addEventListener("popstate", draw);
begin();
