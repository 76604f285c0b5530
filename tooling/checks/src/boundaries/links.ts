// The graph of imports inside the checkout.
import { type Import, importsOf } from './imports.ts'
import type { Module } from './modules.ts'
import type { createResolver } from './resolve.ts'

export interface Link {
  readonly from: string
  readonly to: string
  readonly line: number
}

export interface Graph {
  readonly links: readonly Link[]
  /** Imports that should lead to a file and do not. */
  readonly dangling: readonly string[]
}

const describe = (module: Module, found: Import): string => `${module.path}:${found.line}: ${found.from} leads to no file`

export const linkModules = (modules: readonly Module[], resolve: ReturnType<typeof createResolver>): Graph => {
  const links: Link[] = []
  const dangling: string[] = []
  for (const module of modules) {
    for (const found of importsOf(module)) {
      const target = resolve(module.path, found.from)
      if (target.kind === 'nowhere') dangling.push(describe(module, found))
      if (target.kind === 'file') links.push({ from: module.path, to: target.path, line: found.line })
    }
  }
  return { links, dangling }
}
