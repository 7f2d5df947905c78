// Scrolls the page to this element, at the top of a section that was just opened from another tab, until the page is
// still or the visitor acts, and then says that it is `done`. The element takes the focus: Tab goes on from there.
export const draw = ({parentElement, setTriggerValue}) => {
  const here = parentElement.querySelector('.scroll');
  here.tabIndex = -1;
  here.focus({preventScroll: true});
  const acts = ['wheel', 'touchstart', 'keydown', 'pointerdown'];
  let [top, still] = [NaN, 0];
  const timer = setInterval(() => {
    here.scrollIntoView();
    const before = top;
    top = here.getBoundingClientRect().top;
    still = top === before ? still + 1 : 0;
    if (still === 4) finish();
  }, 200);
  const stop = () => {
    clearInterval(timer);
    acts.forEach(act => removeEventListener(act, finish));
  };
  function finish() {
    stop();
    setTriggerValue('done', true);
  }
  acts.forEach(act => addEventListener(act, finish));
  return stop;
};
