// Check your own: the pasted numbers on the float line and, of vectors, the table from which a component is picked.
export default function ({data, parentElement, setTriggerValue}) {
  const [root, part] = parts(parentElement, '<div class="host line"></div><div class="host components"></div>');
  keepDrawn(root, () => {
    if (data.line && changed(root, 'line', data.line)) intervals(part('.line'), data.line);
    if (!data.line) part('.line').replaceChildren();
    if (changed(root, 'table', data.table)) {
      components(part('.components'), data.table, place => setTriggerValue('pick', place));
    }
  });
}
