// Why a JSON document was not read. Never a word of the document itself, which may hold a secret.
import { type JsonBounds, jsonNameBytes, ServiceError } from '@gatehouse/contracts'

export type JsonFault = 'bytes' | 'levels' | 'values' | 'name' | 'syntax'

const phrases: Readonly<Record<JsonFault, (bounds: JsonBounds) => string>> = {
  bytes: ({ bytes }) => `is larger than ${bytes} bytes`,
  levels: ({ levels }) => `is nested deeper than ${levels} levels`,
  values: ({ values }) => `has more than ${values} values and names`,
  name: () => `has a name longer than ${jsonNameBytes} bytes`,
  syntax: () => 'is not valid JSON',
}

/** The end of a sentence whose subject is the document. */
export const describeJsonFault = (fault: JsonFault, bounds: JsonBounds): string => phrases[fault](bounds)

const hints: Partial<Record<JsonFault, string>> = {
  bytes: 'send less at once',
  levels: 'send less structure: a deep part can travel as text',
  values: 'send less at once, or send large data as one text',
}

export class JsonRefused extends Error {
  readonly fault: JsonFault
  readonly bounds: JsonBounds

  constructor(fault: JsonFault, bounds: JsonBounds) {
    super(`the document ${describeJsonFault(fault, bounds)}`)
    this.name = 'JsonRefused'
    this.fault = fault
    this.bounds = bounds
  }
}

/** For whoever sent a body: `too-large` for its bytes, else `malformed`. */
export const refuseJsonBody = (fault: JsonFault, bounds: JsonBounds): ServiceError =>
  new ServiceError(fault === 'bytes' ? 'too-large' : 'malformed', {
    detail: `the body ${describeJsonFault(fault, bounds)}`,
    hint: hints[fault],
  })
