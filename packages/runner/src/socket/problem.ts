// Turns an error into what a sandbox sees: an RFC 9457 document with a code of the table, never a stack or a host's path.
import { codes, type Problem, toServiceError } from '@gatehouse/contracts'

export const problemOf = (error: unknown, requestId: string): Problem => {
  const { code, detail, hint, errors, extra } = toServiceError(error)
  const { status, title } = codes[code]
  return {
    ...extra,
    type: `urn:gatehouse:error:${code}`,
    title,
    status,
    detail,
    code,
    requestId,
    ...(hint === undefined ? {} : { hint }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
  }
}

export const problemResponse = (problem: Problem, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(problem), { status: problem.status, headers: { ...headers, 'content-type': 'application/problem+json' } })
