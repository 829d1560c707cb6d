// Copies of seats: files that play in a terminal as well, with a passphrase or without one.
import { h, t, sealed } from "./core.mjs";
import { Component } from "./preact.mjs";
import { save } from "./play.mjs";

const header = "age-encryption.org/v1\n";

/** What went wrong with a passphrase, in words. */
const wrong = e => (e.kind === "passphrase" || e.kind === "work" ? t("passphrase." + e.kind) : e.message);

/** A form that saves a copy of a seat. Of: the call's arguments that say which one. */
export class Copy extends Component {
  async take(form) {
    const passphrase = form.elements.passphrase.value;
    this.setState({ busy: true, failed: null });
    try {
      const { name, file } = await this.props.desk.call("seat.export", this.props.of);
      save(`${name}.seat`, passphrase ? await sealed(false, new TextEncoder().encode(file), passphrase) : file, "application/octet-stream");
      this.setState({ busy: false });
      this.props.onDone?.();
    } catch (e) {
      this.setState({ busy: false, failed: wrong(e) });
    }
  }

  render(props, { busy, failed }) {
    return h("form", { class: "ways", onSubmit: e => { e.preventDefault(); this.take(e.target); } },
      h("label", null, t("passphrase"), " ", h("input", { name: "passphrase", type: "password", autocomplete: "new-password" })),
      h("p", null, h("small", null, t("passphrase.hint"))),
      failed && h("p", { class: "status alarm", role: "alert" }, failed),
      h("button", { class: "main", disabled: busy }, busy ? t("busy") : t("kept.backup")));
  }
}

/** A form that takes a copy into this browser. It asks for a passphrase where there is one. */
export class Restore extends Component {
  async take(bytes, passphrase) {
    this.setState({ busy: true, failed: null });
    try {
      if (passphrase !== undefined) bytes = await sealed(true, bytes, passphrase);
      else if (new TextDecoder().decode(bytes.slice(0, header.length)) === header) return this.setState({ busy: false, file: bytes });
      await this.props.desk.call("seat.import", {}, bytes);
      this.setState({ busy: false, file: null });
      this.props.onDone();
    } catch (e) {
      this.setState({ busy: false, failed: wrong(e) });
    }
  }

  render(props, { file, busy, failed }) {
    return h("section", null,
      h("label", { class: "drop" }, t("seat.import"), " ", h("span", { class: "button" }, t("choose.files")), h("input", { type: "file", disabled: busy, onChange: async e => e.target.files[0] && this.take(new Uint8Array(await e.target.files[0].arrayBuffer())) })),
      file && h("form", { class: "ways", onSubmit: e => { e.preventDefault(); this.take(file, e.target.elements.unseal.value); } },
        h("label", null, t("passphrase.ask"), " ", h("input", { name: "unseal", type: "password", required: true, autocomplete: "current-password" })),
        h("button", { class: "main", disabled: busy }, busy ? t("busy") : t("go"))),
      failed && h("p", { class: "status alarm", role: "alert" }, failed));
  }
}
