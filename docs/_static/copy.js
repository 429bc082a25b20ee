// A button on every block that is typed or pasted; what a command printed has none.
for (const block of document.querySelectorAll(".highlight-python, .highlight-sh")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  const say = (text) => {
    button.textContent = text;
    button.setAttribute("aria-label", `${text} this code`);
  };
  say("Copy");
  button.addEventListener("click", async () => {
    const code = block.querySelector("pre").textContent.trimEnd();
    try {
      await navigator.clipboard.writeText(code);
    } catch {
      // a page that is opened as a file may have no clipboard: select it, and let the browser copy
      getSelection().selectAllChildren(block.querySelector("pre"));
      document.execCommand("copy");
      getSelection().removeAllRanges();
    }
    say("Copied");
    setTimeout(say, 1500, "Copy");
  });
  block.append(button);
}
