// The pages: which one an address names, what stands around it, and settings.
import { h, render, t, speak, set, setting, lang, languages, Link, whenGone } from "./core.mjs";
import { Landing, Lobby, Seats, About } from "./pages.mjs";
import { New, Enter, Join } from "./open.mjs";
import { Club } from "./club.mjs";
import { Play, Watch } from "./play.mjs";
import { Replay } from "./replay.mjs";
import { Verify } from "./verify.mjs";
import { Try } from "./try.mjs";

const pages = [
  [/^\/$/, Landing], [/^\/lobby$/, Lobby], [/^\/new$/, New], [/^\/seats$/, Seats], [/^\/join$/, Enter], [/^\/j\/(?<code>[^/]+)$/, Join],
  [/^\/t\/(?<id>[0-9a-f]{64})$/, Play], [/^\/r\/(?<id>[0-9a-f]{64})$/, Replay], [/^\/verify$/, Verify], [/^\/try$/, Try], [/^\/club$/, Club], [/^\/about$/, About],
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

function Settings() {
  const choose = (name, options, label) => h("label", null, h("span", null, label), " ",
    h("select", { value: setting(name, Object.keys(options)[0]), onChange: async e => { set(name, e.target.value); await begin(); } },
      Object.entries(options).map(([value, text]) => h("option", { key: value, value }, text))));
  return h("details", { class: "settings" }, h("summary", null, t("settings")),
    choose("theme", { auto: t("theme.auto"), light: t("theme.light"), dark: t("theme.dark") }, t("theme")),
    choose("pack", { fr: t("pack.fr"), de: t("pack.de") }, t("pack")),
    choose("colours", { two: t("colours.two"), four: t("colours.four") }, t("colours")),
    choose("size", { usual: t("size.usual"), large: t("size.large") }, t("size")));
}

function App() {
  return h("div", { class: "app" },
    h("header", { class: "top" },
      h("a", { class: "skip", href: "#main" }, t("skip")),
      h(Link, { href: "/", class: "brand" }, "pakli"),
      h("nav", { "aria-label": t("nav") }, h(Link, { href: "/lobby" }, t("lobby")), " ", h(Link, { href: "/verify" }, t("verify")), " ", h(Link, { href: "/try" }, t("try"))),
      h("select", { class: "language", "aria-label": t("language"), value: lang(), onChange: async e => { set("lang", e.target.value); await begin(); } },
        Object.entries(languages).map(([tag, name]) => h("option", { key: tag, value: tag, lang: tag }, name))),
      h(Settings)),
    h("div", { id: "main" }, page()));
}

const root = document.getElementById("app");
function draw() {
  document.title = "pakli";
  render(h(App, { key: lang() }), root);
}

async function begin() {
  await speak();
  Object.assign(document.documentElement.dataset, { theme: setting("theme", "auto"), colours: setting("colours", "two"), size: setting("size", "usual") });
  draw();
}

whenGone(draw);
addEventListener("popstate", draw);
begin();
