// Streamlit sends this with every message, so it is small: what is large comes once, and the browser keeps it by its name.
export default component => {
  const {data, parentElement, setTriggerValue} = component;
  const root = parentElement.querySelector('.live');
  const kept = (window.lastBit ??= new Map());
  const act = (name, value) => setTriggerValue('act', [name, value, Date.now()]);
  for (const [name, value] of Object.entries(data.sent)) kept.set(name, value);
  const missing = Object.values(data.kept).filter(name => !kept.has(name));
  if (missing.length) act('missing', missing);
  const whole = {drawing: {}};
  const named = Object.entries(data.kept).map(([key, name]) => [key, kept.get(name)]);
  for (const [key, value] of [...Object.entries(data), ...named]) {
    if (key.startsWith('drawing ')) whole.drawing[key.slice(8)] = value;
    else whole[key] = value;
  }
  if (whole.style) {
    const shadow = root.getRootNode();
    if (root.styled !== data.kept.style) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(whole.style);
      shadow.adoptedStyleSheets = [sheet];
      root.styled = data.kept.style;
    }
  }
  if (whole.code && !missing.length) {
    const url = URL.createObjectURL(new Blob([whole.code], {type: 'text/javascript'}));
    const loaded = kept.get(`${data.kept.code} loaded`) ?? import(url);
    kept.set(`${data.kept.code} loaded`, loaded);
    root.latest = data.number;
    loaded.then(code => {
      if (root.latest === data.number) code.default({...component, data: whole}, act);
    });
  }
  // The next tick comes so long after this message, not while the page runs; if it brings none, another is asked for.
  clearTimeout(root.tick);
  const busy = () => document.querySelector('[data-test-script-state=running], [data-test-script-state=rerunRequested]');
  let waits = 0;
  const ask = wait => {
    root.tick = setTimeout(() => {
      if (busy() && waits++ < 50) return ask(0.2);
      act('tick', 1);
      ask(2 * Math.max(5, wait));
    }, 1000 * wait);
  };
  if (data.every) ask(data.every);
  return () => clearTimeout(root.tick);
};
