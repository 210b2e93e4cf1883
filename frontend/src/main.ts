import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { keepPresses } from "$lib/ui/presses";

const target = document.getElementById("app");
if (target) {
  target.replaceChildren(); // the frame of index.html
  keepPresses(document);
  mount(App, { target });
}
