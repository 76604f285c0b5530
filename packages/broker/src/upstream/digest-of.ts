// The digest that a grant pins, made once for each definition of each listing.
import type { Digest, ToolDefinition } from '@gatehouse/contracts'
import { canonical, definitionDigest } from '@gatehouse/kernel'

const known = new WeakMap<ToolDefinition, Digest>()

/** Throws for text with a lone surrogate, anywhere in the definition: nobody could be shown it as it is. */
const make = (tool: ToolDefinition): Digest => {
  canonical(tool)
  return definitionDigest(tool)
}

export const digestOf = (tool: ToolDefinition): Digest => {
  const digest = known.get(tool) ?? make(tool)
  known.set(tool, digest)
  return digest
}
