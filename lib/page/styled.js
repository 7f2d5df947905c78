/* Asks for the page as soon as its style sheet is in force, which says so by a property of the whole document. */
const PERIOD = 16, PATIENCE = 5000; // milliseconds between two looks, and until the page is asked for all the same

export default function styled({ setTriggerValue }) {
  const start = Date.now();
  let timer;
  const look = () => {
    const styled = getComputedStyle(document.documentElement).getPropertyValue('--page-is-styled');
    if (styled || Date.now() > start + PATIENCE) setTriggerValue('done', true);
    else timer = setTimeout(look, PERIOD);
  };
  look();
  return () => clearTimeout(timer);
}
