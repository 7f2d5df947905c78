/* Asks for a run of the page if its ticks have stopped. Streamlit sets the timer of a live part by a message, and on a
   machine that is busy enough such a message is lost: no tick would come any more.
   data: {every}, the seconds from tick to tick, 0 if there is nothing to follow. Each run of the page, and each tick,
   changes the state that Streamlit shows of its script. A page that had to ask once asks half as often the next time.
   What watches belongs to the window: the message that brings this component may be lost, too, and it is taken away. */
const PATIENCE = 20, TICKS = 10; // seconds, and ticks more, without a change

export default function wake({ data, setTriggerValue }) {
  const watch = (window.lastBitWake ??= { patience: 1, end: () => {} });
  watch.end();
  const script = document.querySelector('[data-test-script-state]');
  if (!data.every || !script) return;
  let timer;
  const wait = act => {
    clearTimeout(timer);
    timer = setTimeout(act, 1000 * watch.patience * (PATIENCE + TICKS * data.every));
  };
  const look = () => (script.dataset.testScriptState === 'running' ? wait(ask) : ask()); // a run may take long
  const ask = () => {
    watch.patience *= 2;
    setTriggerValue('asked', Date.now());
    wait(look);
  };
  const changes = new MutationObserver(() => wait(look));
  changes.observe(script, { attributeFilter: ['data-test-script-state'] });
  wait(look);
  watch.end = () => {
    clearTimeout(timer);
    changes.disconnect();
  };
}
