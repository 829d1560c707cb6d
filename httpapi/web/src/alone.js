// verify.html: drop bundles, read the verdict. Nothing of others is loaded, and nothing can be sent.
"use strict";
(() => {
  const languages = Object.keys(pakliWords);
  let lang = (navigator.languages || ["en"]).map(l => l.slice(0, 2)).find(l => languages.includes(l)) || "en";
  const t = (key, values = {}) => (pakliWords[lang][key] ?? `[${key}]`).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
  const page = document.getElementById("page");
  const results = [];
  let busy = "";
  let keys = "";

  const node = (name, attributes = {}, ...children) => {
    const n = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) key.startsWith("on") ? n.addEventListener(key.slice(2), value) : value !== false && n.setAttribute(key, value);
    n.append(...children.filter(c => c !== null));
    return n;
  };

  // Ascii85, a fifteenth shorter than base64. What means something in a page is spelt otherwise.
  const spelt = { v: '"', w: "\\", x: "<", z: "!!!!!" };
  function bytesOf(text) {
    const signs = text.replace(/[v-z]/g, c => spelt[c]), view = new DataView(new ArrayBuffer(Math.ceil(signs.length / 5) * 4));
    for (let i = 0; i < signs.length; i += 5) {
      let group = 0;
      for (let k = i; k < i + 5; k++) group = group * 85 + (k < signs.length ? signs.charCodeAt(k) - 33 : 84);
      view.setUint32((i / 5) * 4, group);
    }
    return view.buffer.slice(0, Math.floor(signs.length * 4 / 5));
  }

  const unpack = text => new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();

  let ready;
  function start() {
    ready ||= (async () => {
      const go = new Go();
      const { instance } = await WebAssembly.instantiate(await unpack(pakliModule), go.importObject);
      await new Promise(done => { globalThis.pakliHost = { ready: done }; go.run(instance); });
    })();
    return ready;
  }

  async function verify(files) {
    for (const file of files) {
      busy = t("verifying", { name: file.name });
      draw();
      await new Promise(done => setTimeout(done, 30)); // to be drawn
      let answer;
      try {
        await start();
        answer = JSON.parse(await globalThis.pakliVerify(new Uint8Array(await file.arrayBuffer()), keys.trim() ? keys.trim().split(/\s+/) : [], lang));
      } catch (e) {
        answer = { verdict: "unchecked", headline: e.message };
      }
      results.unshift({ name: file.name, ...answer });
      busy = "";
      draw();
    }
  }

  const isUnvouched = r => r.verdict === "sound" && r.own;
  const shapes = { sound: "✓", unfinished: "…", unchecked: "?" };
  function draw() {
    document.documentElement.lang = lang;
    page.replaceChildren(...[
      node("p", {}, ...languages.map(l => node("button", { "aria-pressed": String(l === lang), onclick: () => { lang = l; draw(); } }, l))),
      node("h1", {}, t("verify")), node("p", { class: "lead" }, t("verify.lead")),
      node("fieldset", {}, node("legend", {}, t("verify.keys")),
        node("label", {}, t("log.key"), node("input", { class: "wide", id: "keys", value: keys, spellcheck: "false", oninput: e => { keys = e.target.value; } })),
        node("p", { class: "hints" }, t("verify.own.else"))),
      node("p", {}, node("label", { class: "drop" }, t("verify.drop"), node("input", { type: "file", multiple: "", onchange: e => verify([...e.target.files]) }))),
      busy ? node("p", { class: "status", role: "status" }, busy) : null,
      ...results.map(r => node("section", { class: "verdict " + (isUnvouched(r) ? "unchecked" : r.verdict.replaceAll(" ", "-")), "data-verdict": r.verdict },
        node("h2", {}, node("span", { "aria-hidden": "true" }, (isUnvouched(r) ? "(✓)" : shapes[r.verdict] || "✗") + " "), node("bdi", {}, r.name), ": " + t(isUnvouched(r) ? "verdict.sound.own" : "verdict." + r.verdict.replaceAll(" ", "-"))),
        node("p", { class: "headline" }, r.headline),
        r.own ? node("p", { class: "hints" }, t("verify.own.said")) : null,
        r.text ? node("details", {}, node("summary", {}, t("verify.report")), node("pre", { tabindex: "0" }, r.text)) : null,
        r.html ? node("a", { href: URL.createObjectURL(new Blob([r.html], { type: "text/html" })), download: r.name + ".html" }, t("save.report")) : null)),
      node("footer", {}, node("small", {}, t("module") + " ", node("code", {}, pakliHash)))].filter(part => part !== null));
  }

  addEventListener("dragover", e => e.preventDefault());
  addEventListener("drop", e => { e.preventDefault(); verify([...e.dataTransfer.files]); });
  draw();
})();
