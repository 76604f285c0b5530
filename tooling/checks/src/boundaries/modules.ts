// Reads and parses every module of a checkout once, by swc: the one parser for TypeScript 7's syntax that is a library.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from '@swc/core'
import { sourceFiles } from '../sources.ts'
import { type Node, nodesIn } from './syntax.ts'

export interface Module {
  /** From the root of the checkout. */
  readonly path: string
  readonly source: string
  /** Every node of the syntax tree. */
  readonly nodes: readonly Node[]
}

const parseModule = async (path: string, source: string): Promise<Module> => {
  try {
    const tree: unknown = await parse(source, { syntax: 'typescript', tsx: path.endsWith('.tsx'), target: 'es2024' })
    return { path, source, nodes: nodesIn(tree) }
  } catch (error) {
    throw new Error(`${path}: cannot be parsed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

const read = async (root: string): Promise<Module[]> => {
  const files = sourceFiles(root)
  if (files.length === 0) throw new Error(`expected TypeScript below packages, apps and tooling of ${root}, found none`)
  return Promise.all(files.map((path) => parseModule(path, readFileSync(join(root, path), 'utf8'))))
}

const checkouts = new Map<string, Promise<Module[]>>()

/** Parses a checkout once in a run. Throws for one without modules: a check that looks at nothing would pass. */
export const readModules = (root: string): Promise<Module[]> => {
  const modules = checkouts.get(root) ?? read(root)
  checkouts.set(root, modules)
  return modules
}
