// A box for a text, which is answered while one types. `data` has the `text` of an example or of a link, which replaces
// what is in the box when its `revision` is new, and a `placeholder`. What is typed is sent as a trigger: as a state, the
// text that was typed before an example was chosen would be no change.
const {parts} = await import('./kit.js' + new URL(import.meta.url).search);
const PAUSE = 300; // milliseconds after the last key

export const draw = ({parentElement, data, setTriggerValue}) => {
  const root = parentElement.querySelector('.paste_box');
  const box = parts(root, '<textarea aria-label="What was printed" spellcheck="false" rows="4"></textarea>')('textarea');
  box.placeholder = data.placeholder;
  if (root.revision !== data.revision) {
    clearTimeout(root.timer);
    root.revision = data.revision;
    box.value = data.text;
  }
  box.oninput = () => {
    clearTimeout(root.timer);
    root.timer = setTimeout(() => setTriggerValue('text', box.value), PAUSE);
  };
};
