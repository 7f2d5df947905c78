// Asks for the next run of the fragment that it is drawn in, `wait` seconds after this one; null is never. It does not
// ask while the page runs: what is sent then has the old values of the controls. Nor does it in the moment in which the
// address has changed: after Back, Streamlit takes some milliseconds to show that it runs. If no run comes, it asks again.
const isBusy = () => document.querySelector('[data-test-script-state=running], [data-test-script-state=rerunRequested]');
const RETRY = 4; // seconds

export const draw = ({parentElement, data, setTriggerValue}) => {
  clearTimeout(parentElement.timer);
  let address = location.search;
  const ask = seconds => {
    parentElement.timer = setTimeout(() => {
      if (!parentElement.isConnected) return;
      const hasMoved = location.search !== address;
      address = location.search;
      if (isBusy() || hasMoved) {
        ask(0.05 + 0.1 * Math.random()); // two parts of a page do not ask in one moment
      } else {
        setTriggerValue('tick', 1);
        ask(RETRY);
      }
    }, 1000 * seconds);
  };
  if (data.wait !== null) ask(data.wait);
};
