// A typed text that is kept in the address, so that reload and back restore it.

import { router } from "./router.svelte.ts";

const PAUSE = 250; // ms after the last key until the address is updated

/** Create it while a component is initialised; its effects end with the component. */
export class QueryText {
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

  /** #read takes over a change of the address, such as by the back button. */
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
