// The live part of a tab: the progress, the claim, why, the picture, what is told of it, the cards. `data` is all there
// is to see, and `kept` has its large parts by their names, null while some are on their way; `act(name, value)` tells
// the page what a visitor did.
const SKELETON = `
  <div class="claim"><h1></h1><p class="why"></p></div>
  <div class="progress"><progress max="1"></progress><span></span><button class="pause"></button></div>
  <p class="error"><span role="alert"></span> <button>Try again</button></p>
  <div class="picture"></div>
  <div class="beneath"><p></p><button class="another">Another example</button></div>
  <div class="cards"></div>
  <span role="status" class="said"></span>`;

export default (root, data, kept, act, busy) => {
  keepTicking(root, data.every, act, busy);
  if (!kept) return;
  const whole = {drawing: {}};
  const named = Object.entries(data.kept).map(([key, name]) => [key, kept.get(name)]);
  for (const [key, value] of [...Object.entries(data), ...named]) {
    if (key.startsWith('drawing ')) whole.drawing[key.slice(8)] = value;
    else whole[key] = value;
  }
  if (root.styled !== data.kept.style) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(whole.style);
    root.getRootNode().adoptedStyleSheets = [sheet];
    root.styled = data.kept.style;
  }
  if (!whole.bare) arrangeLive(root, whole, act);
  else parts(root, '<div class="picture"></div>');
  if (whole.picture) DRAW[whole.picture](root.querySelector('.picture'), whole.drawing, act);
};

// The next tick comes so long after this message, not while the page runs; if it brings none, another is asked for.
function keepTicking(root, every, act, busy) {
  clearTimeout(root.tick);
  let waits = 0;
  const ask = wait => {
    root.tick = setTimeout(() => {
      if (busy() && waits++ < 50) return ask(0.2);
      act('tick', 1);
      ask(2 * Math.max(5, wait));
    }, 1000 * wait);
  };
  if (every) ask(every);
}

function arrangeLive(root, data, act) {
  const find = parts(root, SKELETON);
  for (const [place, text] of [['h1', data.claim], ['.why', data.why], ['.error span', data.error], ['.beneath p', data.told]]) {
    put(find(place), text);
  }
  put(find('.said'), data.over ? data.progress : '');
  put(find('.progress span'), data.progress);
  put(find('.pause'), data.paused ? 'Go on' : 'Pause');
  find('progress').value = data.done;
  find('.progress').classList.toggle('done', data.over && !data.paused);
  find('.error').hidden = !data.error;
  find('.beneath').hidden = !data.told && !data.another;
  find('.another').hidden = !data.another;
  find('.error button').onclick = () => act('again', 1);
  find('.pause').onclick = () => act('pause', !data.paused);
  find('.another').onclick = () => act('another', 1);
  if (changed(root, 'cards', [data.cards, data.open])) arrangeCards(find('.cards'), data, act);
}

// Each card answers a question; its button opens what is behind it. The last one also leads to what visitors bring.
function arrangeCards(host, {cards, open, own}, act) {
  if (host.children.length !== cards.length) {
    host.replaceChildren();
    cards.forEach(() => append(host, 'section').append(...['p', 'div'].map(name => document.createElement(name))));
  }
  cards.forEach(([question, answer, key, on], i) => {
    const opened = Boolean(key) && open === key;
    const [text, links] = host.children[i].children;
    put(text, `**${question}** ${answer}`);
    const wanted = [...(key ? [[opened ? 'Close' : on, 'open', opened ? '' : key]] : [])];
    if (i === cards.length - 1) wanted.push([own, 'own', 1]);
    while (links.children.length < wanted.length) append(links, 'button');
    wanted.forEach(([words, name, value], k) => {
      put(links.children[k], words);
      links.children[k].onclick = () => act(name, value);
      if (name === 'open') links.children[k].setAttribute('aria-expanded', opened);
    });
    host.children[i].classList.toggle('open', opened);
  });
}

// Write a text of the page into an element: `code`, **bold** and *italics* are all the Markdown there is.
function put(element, text) {
  if (element.told === text) return;
  element.told = text;
  element.replaceChildren();
  text.replaceAll(' × 10', '\u00a0×\u00a010').split(/(`[^`]*`|\*\*[^*]+\*\*|\*[^*]+\*)/).forEach(part => {
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
  const fit = new ResizeObserver(entries => entries.forEach(({target}) => {
    const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    if (scrolls) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
  }));
  const watch = () => document.querySelectorAll('.stCode pre, .stTable > div').forEach(box => fit.observe(box));
  new MutationObserver(watch).observe(document.body, {childList: true, subtree: true});
  watch();
}

// What a word of the sentence opens by a key takes the focus, so that the next key is for it. There a button that is
// disabled while it works, as for a download, has the focus again.
function enterOpened() {
  let [opened, last] = [null, null];
  addEventListener('focusin', ({target}) => { last = target.matches(':focus-visible') ? target : null; });
  const enter = () => {
    const body = document.querySelector('[data-testid=stPopoverBody]');
    const field = ['input:checked', 'input', 'button'].map(kind => body?.querySelector(kind)).find(Boolean);
    const lost = document.activeElement === document.body && body?.contains(last) && !last.disabled;
    if (field && body !== opened && document.activeElement.matches(':focus-visible')) field.focus();
    else if (lost) last.focus();
    if (field || !body) opened = body;
  };
  new MutationObserver(enter).observe(document.body, {childList: true, subtree: true, attributeFilter: ['disabled']});
}

if (!window.lastBit.get('page')) {
  window.lastBit.set('page', true);
  makeSteps();
  reachScrolled();
  enterOpened();
  document.querySelector('[role=tab][aria-selected=true]')?.scrollIntoView({block: 'nearest', inline: 'center'});
}
