// Typed text that is kept in a query parameter of the address, so that a reload or the back button restores it.

import { router } from "./router.svelte.ts";

const PAUSE = 250; // ms after the last key until the address is updated

/** QueryText must be created while a component is initialised; its effects end with the component. */
export class QueryText {
  text = $state("");
  #name: string;
  #written = "";

  constructor(name: string) {
    this.#name = name;
    this.text = this.#written = this.#parameter();
    $effect(() => this.#read());
    $effect(() => this.#write());
  }

  #parameter(): string {
    return router.place.query.get(this.#name) ?? "";
  }

  /** #read updates the text after a change of the address, such as by the back button. */
  #read(): void {
    const now = this.#parameter();
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
