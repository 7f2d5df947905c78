/* Brings into view what the page points to: the open tab, and a section that was just asked for.
   data: {tab, goal, count, anchors}; goal is the key of an element of the page, and count says how often one was asked
   for. If the link has one of the anchors, the component asks once for the section that it stands for: the link by which
   the visitor came, since Streamlit leaves the anchor out where it writes the address anew.
   Code and tables that scroll in themselves can be reached and scrolled by keyboard, too.
   One act of a visitor is one step of Back, even where Streamlit changes the address for each key of its own: of the
   changes between two acts, the first is a new step, and the others amend it. */
const seen = {};

let acted = false;
const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)];
for (const act of ['pointerdown', 'keydown', 'click']) {
  addEventListener(act, (event) => { acted ||= act !== 'click' || event.detail === 0; }, true); // not a pointer's click
}
addEventListener('popstate', () => { acted = false; }); // the keys of Back are no act
history.pushState = history.replaceState = (state, unused, url) => {
  const step = acted && new URL(url ?? location, location).href !== location.href;
  (step ? push : replace)(state, unused, url);
  if (step) acted = false;
};

const fit = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    if (scrolls) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
  }
});
const watch = () => document.querySelectorAll('.stCode pre, .stTable > div').forEach((box) => fit.observe(box));
new MutationObserver(() => { watch(); reach(); }).observe(document.body, { childList: true, subtree: true });
watch();

/* A tab that opens draws its sections last and hides them until they are there, and pictures above them grow: what was
   asked for is kept in place until the visitor acts. */
let goal = ''; // its key
let reached = null; // its element
const settle = new ResizeObserver(() => {
  bring(reached, { block: 'start' });
  reached.querySelector('summary, button, input, textarea')?.focus({ preventScroll: true });
});
for (const act of ['pointerdown', 'keydown', 'wheel']) {
  addEventListener(act, () => aim(''), { capture: true, passive: true });
}

function aim(key) {
  [goal, reached] = [key, null];
  settle.disconnect();
  reach();
}

function reach() {
  const element = goal && document.querySelector(`.st-key-${CSS.escape(goal)}`);
  if (!element || element === reached) return;
  reached = element;
  for (let box = element; box; box = box.parentElement) settle.observe(box); // calls at once, and at each new size
}

function bring(element, place) {
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  element.scrollIntoView({ behavior: calm ? 'instant' : 'smooth', ...place });
}

export default function view({ data, setTriggerValue }) {
  const came = performance.getEntriesByType('navigation')[0]?.name ?? location;
  const anchor = (location.hash || new URL(came, location).hash).slice(1);
  if (Object.hasOwn(data.anchors, anchor) && !seen.asked) setTriggerValue('section', data.anchors[anchor]);
  seen.asked = true;
  if (data.tab !== seen.tab) {
    seen.tab = data.tab;
    const tab = document.querySelector('[role="tab"][aria-selected="true"]');
    if (tab) bring(tab, { inline: 'center', block: 'nearest' });
  }
  if (data.count !== (seen.count ?? 0)) {
    seen.count = data.count;
    aim(data.goal);
  }
}
