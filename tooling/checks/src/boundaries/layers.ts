// Cruises every module by swc and holds it against the rules. A module that the cruise did not see is a finding, since
// a cruise without a parser for TypeScript sees nothing and calls that success.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseResult, type IViolation } from 'dependency-cruiser'
import { sourceFiles } from '../sources.ts'
import { rules } from './rules.ts'

const describe = (violation: IViolation): string => {
  const comment = violation.comment ?? rules.find((rule) => rule.name === violation.rule.name)?.comment ?? violation.rule.name
  const path = violation.cycle === undefined ? violation.to : violation.cycle.map((step) => step.name).join(' → ')
  return `${violation.from} → ${path}: ${comment} (${violation.rule.name})`
}

const cruiseTree = async (root: string): Promise<ICruiseResult> => {
  const folders = ['packages', 'apps', 'tooling'].filter((folder) => existsSync(join(root, folder)))
  const result = await cruise(folders, {
    baseDir: root,
    validate: true,
    parser: 'swc',
    tsPreCompilationDeps: true,
    exclude: { path: '(^|/)(dist|\\.cache|fixtures/violations)/' },
    doNotFollow: { path: '(^|/)node_modules/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
    ruleSet: { forbidden: [...rules] },
  })
  if (typeof result.output === 'string') throw new TypeError('expected a cruise result, got text')
  return result.output
}

export const layerFindings = async (root: string): Promise<string[]> => {
  const result = await cruiseTree(root)
  const seen = new Set(result.modules.map((module) => module.source))
  const unseen = sourceFiles(root).filter((path) => !seen.has(path))
  return [
    ...unseen.map((path) => `${path}: not seen by the cruise, so its imports are unchecked`),
    ...result.summary.violations.map(describe),
  ]
}
