// The graph around an address, by graphology and sigma, with the same as a table.
const styles = getComputedStyle(document.documentElement);
const tint = (name) => styles.getPropertyValue(name).trim();
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

const nodeColor = (node, center) => {
  if (node.address === center) return tint('--accent');
  if (node.kind !== 'token') return tint('--faint');
  return node.verdict?.prediction === 'SCAM' ? tint('--bad') : tint('--good');
};

const short = (address) => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Nodes on rings around the centre by their distance, so that the same graph always looks the same. */
const distances = (nodes, edges, center) => {
  const found = new Map([[center, 0]]);
  for (let depth = 0; depth < 4; depth += 1) {
    for (const { source, target } of edges) {
      if (found.get(source) === depth && !found.has(target)) found.set(target, depth + 1);
      if (found.get(target) === depth && !found.has(source)) found.set(source, depth + 1);
    }
  }
  for (const { address } of nodes) if (!found.has(address)) found.set(address, 4);
  return found;
};

const graphOf = ({ nodes, edges }, center) => {
  const graph = new graphology.MultiGraph();
  const distance = distances(nodes, edges, center);
  const countOf = new Map();
  for (const node of nodes) {
    const ring = distance.get(node.address);
    const index = countOf.get(ring) ?? 0;
    countOf.set(ring, index + 1);
    const angle = index * GOLDEN_ANGLE + ring;
    graph.addNode(node.address, {
      x: ring * Math.cos(angle),
      y: ring * Math.sin(angle),
      size: node.address === center ? 12 : node.kind === 'token' ? 8 : 6,
      label: node.label === node.address ? short(node.address) : node.label.slice(0, 24),
      color: nodeColor(node, center),
      kind: node.kind,
    });
  }
  for (const edge of edges) {
    if (!graph.hasNode(edge.source) || !graph.hasNode(edge.target)) continue;
    graph.addEdge(edge.source, edge.target, { size: 1 + 2 * edge.weight, color: tint('--line') });
  }
  return graph;
};

const cell = (row, text, address) => {
  const place = row.insertCell();
  if (!address) {
    place.textContent = text;
    return;
  }
  const link = document.createElement('a');
  link.href = `/${text}/${address}`;
  link.textContent = short(address);
  link.className = 'address';
  place.append(link);
};

const fillTable = ({ nodes, edges }, table) => {
  const kinds = new Map(nodes.map(({ address, kind }) => [address, kind]));
  const body = table.tBodies[0];
  for (const { source, target, type } of edges) {
    const row = body.insertRow();
    cell(row, kinds.get(source) ?? 'wallet', source);
    cell(row, type.replaceAll('_', ' '));
    cell(row, kinds.get(target) ?? 'wallet', target);
  }
};

const draw = async (place) => {
  const note = place.querySelector('.loading');
  try {
    const response = await fetch(place.dataset.network);
    if (!response.ok) throw new Error(String(response.status));
    const found = await response.json();
    if (found.edges.length === 0) {
      note.textContent = 'No relation to other addresses is known yet.';
      return;
    }
    fillTable(found, place.parentElement.querySelector('[data-network-table]'));
    const graph = graphOf(found, place.dataset.center);
    note.remove();
    const view = new Sigma(graph, place, {
      labelColor: { color: tint('--text') },
      labelDensity: 0.6,
      allowInvalidContainer: true,
    });
    view.on('clickNode', ({ node }) => {
      const kind = graph.getNodeAttribute(node, 'kind');
      location.href = `/${kind}/${node}`;
    });
  } catch {
    note.textContent = 'The graph could not be drawn here; the table below may hold it.';
  }
};

for (const place of document.querySelectorAll('[data-network]')) void draw(place);
