// Scrolls the page to where it stands, to what has just been opened from another tab, until the page is still or the
// visitor acts, and tells that it has `arrived`.
export const draw = ({parentElement, setTriggerValue}) => {
  const here = parentElement.querySelector('.arrive');
  const acts = ['wheel', 'touchstart', 'keydown', 'pointerdown'];
  let [top, still] = [NaN, 0];
  const timer = setInterval(() => {
    here.scrollIntoView();
    const before = top;
    top = here.getBoundingClientRect().top;
    still = top === before ? still + 1 : 0;
    if (still === 4) arrive();
  }, 200);
  const stop = () => {
    clearInterval(timer);
    acts.forEach(act => removeEventListener(act, arrive));
  };
  function arrive() {
    stop();
    setTriggerValue('arrived', true);
  }
  acts.forEach(act => addEventListener(act, arrive));
  return stop;
};
