/* Asks for the page as soon as its style sheet is in force, which says so by a property of the whole document. */
const PERIOD = 16; // milliseconds

export default function styled({ setTriggerValue }) {
  const look = () => {
    const root = getComputedStyle(document.documentElement);
    if (root.getPropertyValue('--page-is-styled')) setTriggerValue('done', true);
    else setTimeout(look, PERIOD);
  };
  look();
}
