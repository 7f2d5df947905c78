// Streamlit sends this with every message, so it is small: what is large comes once, and the browser keeps it by its name.
export default component => {
  const {data, setTriggerValue} = component;
  const kept = (window.lastBit ??= new Map());
  const act = (name, value) => setTriggerValue('act', [name, value, Date.now()]);
  for (const name in data.sent) kept.set(name, data.sent[name]);
  const missing = Object.values(data.kept).filter(name => !kept.has(name));
  if (missing.length) act('missing', missing);
  const {code} = data.kept;
  if (!kept.has(code)) return;
  const url = () => URL.createObjectURL(new Blob([kept.get(code)], {type: 'text/javascript'}));
  if (!kept.has(`${code} loaded`)) kept.set(`${code} loaded`, import(url()));
  const root = component.parentElement.querySelector('.live');
  root.latest = data.number;
  kept.get(`${code} loaded`).then(loaded => {
    if (root.latest === data.number) loaded.default(root, data, missing.length ? null : kept, act);
  });
  return () => clearTimeout(root.tick);
};
