// Finds circles of imports, each once.
import type { Link } from './links.ts'

export const circleFindings = (links: readonly Link[]): string[] => {
  const targets = Map.groupBy(links, (link) => link.from)
  const findings: string[] = []
  const done = new Set<string>()
  const trail: string[] = []

  const visit = (path: string): void => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      findings.push(`${[...trail.slice(at), path].join(' → ')}: modules never import each other in a circle`)
      return
    }
    if (done.has(path)) return
    trail.push(path)
    for (const target of new Set((targets.get(path) ?? []).map((link) => link.to))) visit(target)
    trail.pop()
    done.add(path)
  }

  for (const path of targets.keys()) visit(path)
  return findings
}
