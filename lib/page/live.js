// The live part of a tab: the claim, why, the progress, the picture, what is told of it, the cards. `data` is all there
// is to see; `act(name, value)` tells the page what a visitor did.
const SKELETON = `
  <div class="progress frame"><progress max="1"></progress><span></span><button class="pause"></button></div>
  <div class="claim"><h1></h1><p class="why"></p></div>
  <p class="error frame"><span role="alert"></span> <button>Try again</button></p>
  <div class="picture"></div>
  <div class="beneath frame"><p></p><button class="another"></button></div>
  <div class="cards frame"></div>
  <span role="status" class="said"></span>`;

function arrangeLive(component, act) {
  const {data, parentElement} = component;
  const root = parentElement.querySelector('.live');
  const find = selector => root.querySelector(selector);
  if (data.bare) {
    if (!root.firstChild) root.innerHTML = '<div class="picture"></div>';
    return DRAW[data.picture](find('.picture'), data.drawing, act);
  }
  if (!root.firstChild) root.innerHTML = SKELETON;
  put(find('h1'), data.claim);
  put(find('.why'), data.why);
  find('.error').hidden = !data.error;
  put(find('.error span'), data.error);
  find('.error button').onclick = () => act('again', 1);
  put(find('.said'), data.over ? data.progress : '');
  put(find('.beneath p'), data.told);
  find('.beneath').hidden = !data.told && !data.another;
  const bar = find('.progress');
  bar.classList.toggle('done', data.over && !data.paused);
  put(bar.children[1], data.progress);
  bar.children[0].value = data.done;
  const pause = find('.pause');
  pause.textContent = data.paused ? 'Go on' : 'Pause';
  pause.onclick = () => act('pause', !data.paused);
  const another = find('.another');
  another.hidden = !data.another;
  another.textContent = 'Another';
  another.onclick = () => act('another', 1);
  arrangeCards(find('.cards'), data, act);
  if (data.picture) DRAW[data.picture](find('.picture'), data.drawing, act);
}

function arrangeCards(host, {cards, open}, act) {
  if (host.children.length !== cards.length) host.replaceChildren(...cards.map(() => document.createElement('section')));
  cards.forEach(([question, answer, key, on], i) => {
    const opened = key && open === key;
    const card = host.children[i];
    if (!card.firstChild) card.innerHTML = '<p></p><button></button>';
    put(card.firstChild, `**${question}** ${answer}`);
    const button = card.lastChild;
    button.textContent = opened ? 'Close' : on;
    button.hidden = !key;
    button.setAttribute('aria-expanded', Boolean(opened));
    button.onclick = () => act('open', opened ? '' : key);
    card.classList.toggle('open', Boolean(opened));
  });
}

// Write a text of the page into an element: `code`, **bold** and *italics* are all the Markdown there is.
function put(element, text) {
  if (element.told === text) return;
  element.told = text;
  element.replaceChildren();
  text.split(/(`[^`]*`|\*\*[^*]+\*\*|\*[^*]+\*)/).forEach(part => {
    if (part.startsWith('`')) append(element, 'code', '', part.slice(1, -1));
    else if (part.startsWith('**')) append(element, 'b', '', part.slice(2, -2));
    else if (/^\*.+\*$/.test(part)) append(element, 'i', '', part.slice(1, -1));
    else element.append(part);
  });
}

// One act of a visitor is one step of Back, even where Streamlit changes the address for each key of its own: of the
// changes between two acts, the first is a new step, and the others amend it.
function makeSteps() {
  let acted = false;
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)];
  for (const act of ['pointerdown', 'keydown', 'click']) {
    addEventListener(act, event => { acted ||= act !== 'click' || event.detail === 0; }, true); // not a pointer's click
  }
  addEventListener('popstate', () => { acted = false; }); // the keys of Back are no act
  history.pushState = history.replaceState = (state, unused, url) => {
    const step = acted && new URL(url ?? location, location).href !== location.href;
    (step ? push : replace)(state, unused, url);
    if (step) acted = false;
  };
}

// Code and tables that scroll in themselves can be reached and scrolled by keyboard, too.
function reachScrolled() {
  const fit = new ResizeObserver(entries => {
    for (const {target} of entries) {
      const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
      if (scrolls) target.tabIndex = 0;
      else target.removeAttribute('tabindex');
    }
  });
  const watch = () => document.querySelectorAll('.stCode pre, .stTable > div').forEach(box => fit.observe(box));
  new MutationObserver(watch).observe(document.body, {childList: true, subtree: true});
  watch();
}

if (!window.lastBit.get('page')) {
  window.lastBit.set('page', true);
  makeSteps();
  reachScrolled();
}

export default arrangeLive;
