// Two small comforts; every page works without them.
"use strict";

// glossary.html?word=body puts the word into view.
function showWord() {
  const word = new URLSearchParams(location.search).get("word");
  const term = word && document.querySelector(".glossary") && document.getElementById(word.toLowerCase());
  if (!term) return;
  term.classList.add("found");
  term.nextElementSibling.classList.add("found");
  term.scrollIntoView({ block: "center" });
}

// A button copies what stands in a terminal, without prompts and answers.
function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const terminal of document.querySelectorAll(".terminal")) {
    const code = terminal.querySelector("code").cloneNode(true);
    for (const answer of code.querySelectorAll("b, i")) answer.remove();
    const text = code.textContent.split("\n").map((line) => line.trim()).filter(Boolean).join("\n");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    terminal.append(button);
  }
}

showWord();
addCopyButtons();
