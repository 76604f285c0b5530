// Makes a small checkout in a temporary folder: the configuration of this house, a sound tree, and the violations asked for.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const house = join(import.meta.dirname, '../../..')
const violations = join(import.meta.dirname, 'fixtures/violations')
const configuration = ['tsconfig.json', 'tsconfig.base.json', '.oxlintrc.json', '.oxfmtrc.json', 'knip.json']

export interface Plant {
  readonly root: string
  [Symbol.dispose](): void
}

/** Packages see each other, and execa, as pnpm would show them. A folder that were a link itself would be linted through. */
const link = (root: string): void => {
  mkdirSync(join(root, 'node_modules'))
  for (const name of readdirSync(join(house, 'node_modules')))
    symlinkSync(join(house, 'node_modules', name), join(root, 'node_modules', name))
  for (const name of readdirSync(join(root, 'packages'))) {
    const modules = join(root, 'packages', name, 'node_modules')
    mkdirSync(join(modules, '@gatehouse'), { recursive: true })
    symlinkSync(join(house, 'tooling/checks/node_modules/execa'), join(modules, 'execa'))
    for (const other of readdirSync(join(root, 'packages'))) {
      if (existsSync(join(root, 'packages', other, 'package.json')))
        symlinkSync(join(root, 'packages', other), join(modules, '@gatehouse', other))
    }
  }
}

export const plant = (...wanted: readonly string[]): Plant => {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-plant-'))
  cpSync(join(violations, 'base'), root, { recursive: true })
  for (const file of configuration) cpSync(join(house, file), join(root, file))
  for (const violation of wanted) cpSync(join(violations, violation), root, { recursive: true })
  link(root)
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}
