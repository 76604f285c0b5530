// Ways to damage a journal file. Each returns a function that repairs the damage.
import { chmodSync, linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'

export type Damage = (path: string) => () => void

export const missing: Damage = (path) => {
  renameSync(path, `${path}.away`)
  return () => renameSync(`${path}.away`, path)
}

/** Replaces the file by another one with this content. */
export const exchange = (path: string, content: Buffer): (() => void) => {
  const repair = missing(path)
  writeFileSync(path, content, { mode: 0o600 })
  return repair
}

export const linkToItself: Damage = (path) => {
  const repair = missing(path)
  symlinkSync(`${path}.away`, path)
  return repair
}

export const secondName: Damage = (path) => {
  linkSync(path, `${path}.second`)
  return () => rmSync(`${path}.second`)
}

export const openedToOthers =
  (mode: number): Damage =>
  (path) => {
    chmodSync(path, mode)
    return () => chmodSync(path, 0o600)
  }
