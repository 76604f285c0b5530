// The only way from external bytes to a JSON value: bounds are checked before parsing. A check refuses `JSON.parse` elsewhere.
import type { JsonBounds } from '@gatehouse/contracts'
import * as v from 'valibot'
import { JsonRefused, JsonScanner } from './json-scanner.ts'

/** Throws `JsonRefused` where the document exceeds its bounds. */
export const checkJson = (document: Uint8Array | string, bounds: JsonBounds): void => {
  const fault = new JsonScanner(bounds).push(typeof document === 'string' ? Buffer.from(document) : document)
  if (fault !== undefined) throw new JsonRefused(fault, bounds)
}

/** Parses a document that a scanner has accepted. Throws `JsonRefused` for a syntax error. */
export const parseScannedJson = (document: string, bounds: JsonBounds): unknown => {
  try {
    return JSON.parse(document)
  } catch {
    // The parser's own message quotes the text around the error.
    throw new JsonRefused('syntax', bounds)
  }
}

/** Parses a document within its bounds. Throws `JsonRefused`. */
export const parseJson = (document: Uint8Array | string, bounds: JsonBounds): unknown => {
  checkJson(document, bounds)
  return parseScannedJson(
    typeof document === 'string' ? document : Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString('utf8'),
    bounds,
  )
}

/** A schema that turns JSON text into a value. */
export const jsonText = (bounds: JsonBounds) =>
  v.pipe(
    v.string(),
    v.rawTransform<string, unknown>(({ dataset, addIssue, NEVER }) => {
      try {
        return parseJson(dataset.value, bounds)
      } catch (error) {
        addIssue({ message: error instanceof JsonRefused ? error.message : 'not valid JSON' })
        return NEVER
      }
    }),
  )
