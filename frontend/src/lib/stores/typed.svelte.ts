// A text that is typed and stands in the address, so that reload and back work.

import { router } from "./router.svelte.ts";

const PAUSE = 250; // ms without a key until the address follows

/** Make one while a component is set up: it lives as long. */
export class Typed {
  text = $state("");
  #name: string;
  #written = "";

  constructor(name: string) {
    this.#name = name;
    this.text = this.#written = this.#there();
    $effect(() => this.#read());
    $effect(() => this.#write());
  }

  #there(): string {
    return router.place.query.get(this.#name) ?? "";
  }

  /** The address was changed by somebody else. */
  #read(): void {
    const now = this.#there();
    if (now !== this.#written) this.text = this.#written = now;
  }

  #write(): (() => void) | undefined {
    const typed = this.text;
    if (typed === this.#written) return;
    const timer = setTimeout(() => {
      this.#written = typed;
      router.set({ [this.#name]: typed });
    }, PAUSE);
    return () => clearTimeout(timer);
  }
}
