// Verify: bundles, or a table of this log. Keys come first: what is believed is said before anything is checked.
import { h, t, about, failure, log } from "./core.mjs";
import { WithDesk, save } from "./play.mjs";

/** Whether a verdict of soundness rests on a key that came with what was judged. */
const isUnvouched = r => r.verdict === "sound" && (r.own || r.server);

export const shapes = { sound: "✓", unfinished: "…", foul: "✗", "log broken": "✗", unchecked: "?" };

export class Verify extends WithDesk {
  first() { return { keys: "", table: this.props.query?.get("table") || "", results: [] }; }

  begin() { if (this.state.table) return this.check([null]); }

  /** The verdict on a file, or on a table of this log. */
  async judge(file, args) {
    return file ? this.desk.call("verify", args, new Uint8Array(await file.arrayBuffer())) : this.desk.call("verify", { url: log, table: this.state.table, ...args });
  }

  /** Save the report as a file for print. */
  async saveReport({ name, file, table, key }) {
    this.setState({ failed: null });
    try {
      const { html, headline } = await this.judge(file, { key, table, page: true });
      if (!html) throw new Error(headline);
      save(name + ".html", html, "text/html");
    } catch (e) {
      this.setState(failure(e));
    }
  }

  async check(files) {
    this.setState({ failed: null });
    for (const file of files) {
      const brought = this.state.keys.trim(), key = brought || (file ? "" : about.key), name = file ? file.name : this.state.table.slice(0, 12);
      this.setState({ starting: t("verifying", { name }) });
      const result = await this.judge(file, { key }).catch(e => ({ verdict: "unchecked", headline: e.message }));
      this.setState({ results: [{ name, file, key, server: !brought && !file, ...result }, ...this.state.results], starting: null });
    }
  }

  render(props, { keys, table, results, starting }) {
    return h("main", { class: "page", onDragOver: e => e.preventDefault(), onDrop: e => { e.preventDefault(); this.check([...e.dataTransfer.files]); } },
      h("h1", null, t("verify")), h("p", { class: "lead" }, t("verify.lead")),
      h("fieldset", null, h("legend", null, t("verify.keys")),
        h("label", null, t("log.key"), h("input", { class: "wide", value: keys, spellcheck: false, onInput: e => this.setState({ keys: e.target.value }) })),
        h("p", { class: "hints" }, t("verify.own.else"), " ", t("verify.server.else"))),
      h("p", null, h("label", { class: "drop" }, t("verify.drop"), " ", h("span", { class: "button" }, t("choose.files")), h("input", { type: "file", multiple: true, disabled: Boolean(starting), onChange: e => this.check([...e.target.files]) }))),
      h("form", { class: "ways", onSubmit: e => { e.preventDefault(); this.check([null]); } },
        h("label", null, t("verify.table"), h("input", { class: "wide", value: table, pattern: "[0-9a-f]{64}", spellcheck: false, onInput: e => this.setState({ table: e.target.value }) })),
        h("button", { class: "main", disabled: !table || Boolean(starting) }, t("verify.now"))),
      this.aside(),
      results.map((r, i) => h("section", { key: results.length - i, class: "verdict " + (isUnvouched(r) ? "unchecked" : r.verdict.replaceAll(" ", "-")) },
        h("h2", null, h("span", { "aria-hidden": true }, isUnvouched(r) ? "(✓)" : shapes[r.verdict] || "✗", " "), h("bdi", null, r.name), ": ", t(isUnvouched(r) ? "verdict.sound.own" : "verdict." + r.verdict.replaceAll(" ", "-"))),
        h("p", { class: "headline" }, r.headline),
        (r.own || r.server) && h("p", { class: "hints" }, t(r.own ? "verify.own.said" : "verify.server.said")),
        r.text && h("details", null, h("summary", null, t("verify.report")), h("pre", { tabIndex: 0 }, r.text)),
        r.json && h("button", { onClick: () => this.saveReport(r) }, t("save.report")), " ",
        r.json && h("button", { onClick: () => save(r.name + ".json", r.json, "application/json") }, t("save.json")))));
  }
}
