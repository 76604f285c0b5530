// Folder graph: inside a package, folders import each other in one direction only. A type import counts as much as a value.
// A folder is a node; a file directly below `src` is a node of its own, since composition roots and tables stand there.
import { dirname } from 'node:path'
import { type Exemptions, withExemptions } from '../exemptions.ts'
import type { Link } from './links.ts'

const packageOf = (path: string): string | undefined => /^(?:packages|apps|tooling)\/[^/]+(?=\/src\/)/.exec(path)?.[0]

const nodeOf = (path: string): string => (dirname(path).endsWith('/src') ? path : dirname(path))

/** For each node the imports that lead to other nodes, one import for each. */
type FolderGraph = ReadonlyMap<string, readonly Link[]>

const buildGraph = (links: readonly Link[]): FolderGraph => {
  const edges = links.filter((link) => nodeOf(link.from) !== nodeOf(link.to))
  const unique = new Map(edges.map((link) => [`${nodeOf(link.from)} ${nodeOf(link.to)}`, link]))
  return Map.groupBy(unique.values(), (link) => nodeOf(link.from))
}

/** The shortest circle through a node as the imports along it; empty if there is none. */
const findCircle = (graph: FolderGraph, start: string): readonly Link[] => {
  const trails: { readonly node: string; readonly trail: readonly Link[] }[] = [{ node: start, trail: [] }]
  const seen = new Set<string>()
  for (const { node, trail } of trails) {
    for (const link of graph.get(node) ?? []) {
      const next = nodeOf(link.to)
      if (next === start) return [...trail, link]
      if (!seen.has(next)) trails.push({ node: next, trail: [...trail, link] })
      seen.add(next)
    }
  }
  return []
}

/** The shortest circle of one package, or undefined. */
const findShortestCircle = (links: readonly Link[]): readonly Link[] | undefined => {
  const graph = buildGraph(links)
  const circles = [...graph.keys()].map((node) => findCircle(graph, node)).filter((circle) => circle.length > 0)
  return circles.toSorted((a, b) => a.length - b.length)[0]
}

/** At most one finding a package: its shortest circle. */
export const folderFindings = (links: readonly Link[], exemptions: Exemptions): string[] => {
  const inside = links.filter(({ from, to }) => packageOf(from) !== undefined && packageOf(from) === packageOf(to))
  const findings = [...Map.groupBy(inside, ({ from }) => packageOf(from) ?? '')].flatMap(([name, own]) => {
    const circle = findShortestCircle(own)
    if (circle === undefined) return []
    const steps = circle.map(({ from, to, line }) => `\n  ${from}:${line} → ${to}`)
    return [{ subject: name, finding: `${name}: folders never import each other in a circle${steps.join('')}` }]
  })
  return withExemptions(findings, exemptions)
}
