// The tour: a small button while it is closed, a bar with Back and Next while it is open.
// data: {stop, stops, title, sentence, goal, click}. `stop` is 0 while closed; `goal` selects what the sentence speaks
// of ("": the top of the page); `click` is the last click that Python followed.
const PATIENCE = 6000; // milliseconds until the goal of a step must be there

export default function tour({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.tour');
  root.at ??= { stop: data.stop, click: 0 };
  if (data.click >= root.at.click) root.at.stop = data.stop;
  root.go = stop => {
    root.at = { stop, click: Date.now() };
    setTriggerValue('go', { stop, click: root.at.click });
  };
  if (!root.firstChild) build(root, data.stops);
  const open = data.stop > 0;
  const focused = root.getRootNode().activeElement;
  root.classList.toggle('open', open);
  root.querySelector('.start').hidden = open;
  root.querySelector('.bar').hidden = !open;
  document.documentElement.style.setProperty('--tour-room', open ? '76px' : '0px');
  root.querySelector('.place').textContent = `${data.stop} of ${data.stops}`;
  root.querySelector('.title').textContent = data.title;
  root.querySelector('.sentence').textContent = data.sentence;
  root.querySelector('.back').setAttribute('aria-disabled', data.stop < 2);
  const last = data.stop === data.stops;
  root.querySelector('.next .words').textContent = last ? 'Done' : 'Next';
  root.querySelector('.next .sign').textContent = last ? '✓' : '›';
  root.querySelector('.next').setAttribute('aria-label', last ? 'Done: close the tour' : 'Next step of the tour');
  if (focused?.classList.contains('start') && open) root.querySelector('.next').focus();
  if (focused?.closest?.('.bar') && !open) root.querySelector('.start').focus();
  if (open && data.click > (root.shown ?? 0)) lead(root, data);
  root.shown = data.click;
}

function build(root, stops) {
  root.innerHTML = `
    <button class="start">Take the tour</button>
    <div class="bar" role="region" aria-label="Tour" hidden>
      <button class="back" aria-label="Back: the step before">
        <span class="sign">‹</span><span class="words">Back</span>
      </button>
      <p aria-live="polite"><span class="place"></span> <b class="title"></b> <span class="sentence"></span></p>
      <button class="next"><span class="words"></span><span class="sign"></span></button>
      <button class="close" aria-label="Close the tour">✕</button>
    </div>`;
  const listen = (name, act) => root.querySelector(name).addEventListener('click', act);
  listen('.start', () => root.go(1));
  listen('.back', () => root.at.stop > 1 && root.go(root.at.stop - 1));
  listen('.next', () => root.go(root.at.stop < stops ? root.at.stop + 1 : 0));
  listen('.close', () => root.go(0));
}

// Scroll to the goal of a step as soon as it is on the page, unless the visitor has gone on meanwhile.
function lead(root, data) {
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const behavior = calm ? 'instant' : 'smooth';
  const start = Date.now();
  const look = () => {
    if (root.shown !== data.click) return;
    const goal = data.goal && document.querySelector(data.goal);
    if (goal) goal.scrollIntoView({ behavior, block: 'start' });
    else if (!data.goal) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0, behavior });
    else if (Date.now() < start + PATIENCE) setTimeout(look, 200);
  };
  setTimeout(look, 0);
}
