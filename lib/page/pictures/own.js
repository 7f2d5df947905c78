// Check your own: the pasted numbers on the float line and, of vectors, the table from which a component is picked.
DRAW.own = (root, data, act) => {
  const part = parts(root, '<div class="host line"></div><div class="host components"></div>');
  keepDrawn(root, () => {
    if (data.line && changed(root, 'line', data.line)) intervals(part('.line'), data.line);
    if (!data.line) part('.line').replaceChildren();
    if (changed(root, 'table', data.table)) {
      components(part('.components'), data.table, place => act('pick', place));
    }
  });
};
