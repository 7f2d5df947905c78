// Streamlit sends this with every message, so it is small: what is large comes once, and the browser keeps it by its name.
export default component => {
  const {data, setTriggerValue} = component;
  const kept = (window.lastBit ??= new Map());
  const root = component.parentElement.querySelector('.live');
  root.acts = (root.acts ?? []).filter(([, , number]) => number > data.taken);
  const act = (name, value) => {
    root.last = Math.max(Date.now(), data.taken + 1, (root.last ?? 0) + 1);
    root.acts.push([name, value, root.last]);
    setTriggerValue('act', root.acts);
  };
  for (const name in data.sent) kept.set(name, data.sent[name]);
  const missing = Object.values(data.kept).filter(name => !kept.has(name));
  root.latest = data.number;
  // Whatever is sent while the page runs has the controls' old values with it, which would undo what the run has set.
  const busy = () => document.querySelector('[data-test-script-state=running], [data-test-script-state=rerunRequested]');
  clearTimeout(root.asking);
  const ask = () => {
    if (busy()) root.asking = setTimeout(ask, 50);
    else act('missing', missing);
  };
  if (missing.length) ask();
  const {code} = data.kept;
  if (!kept.has(code)) return;
  const file = new Blob([kept.get(code)], {type: 'text/javascript'});
  if (!kept.has(`${code} loaded`)) kept.set(`${code} loaded`, import(URL.createObjectURL(file)));
  kept.get(`${code} loaded`).then(loaded => {
    if (root.latest === data.number) loaded.default(root, data, missing.length ? null : kept, act, busy);
  });
  return () => [root.tick, root.asking].forEach(clearTimeout);
};
