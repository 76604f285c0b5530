// The boot document, checked. Never shows what was got: it holds every secret of the process.
import { exits, jsonBounds } from '@gatehouse/contracts'
import * as v from 'valibot'
import { parseJson } from '../json/parse-json.ts'
import { Refusal } from './refusal.ts'

const readJson = (text: string): unknown => {
  try {
    return parseJson(text, jsonBounds.stateFile)
  } catch {
    throw new Refusal(exits.configuration, { detail: 'expected a boot document in JSON on the inherited pipe, got something else' })
  }
}

/** `Refusal` 78 names the members that differ. */
export const parseBoot = <B>(schema: v.GenericSchema<unknown, B>, text: string): B => {
  const parsed = v.safeParse(schema, readJson(text))
  if (parsed.success) return parsed.output
  const where = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the document').join(', ')
  throw new Refusal(exits.configuration, { detail: `expected a boot document of this version, got one that differs at: ${where}` })
}
