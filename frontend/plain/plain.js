// Only the window knows the version; in a browser there is no binding to ask.
window.go?.app?.Window?.About().then((about) => {
  const line = document.getElementById("version");
  line.textContent = `${about.name} ${about.version}`;
  line.hidden = false;
});
