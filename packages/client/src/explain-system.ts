// Why a connection failed, by the code that Node gives: no browser has one.
import { type Explain, type Explanation, noAnswer } from './failure.ts'

/** The code of what the system said, wherever in the chain of causes it stands. */
const codeOf = (error: unknown): string => {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return ''
}

const tlsCodes = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|ERR_TLS_CERT)/

/** Undefined where the code says no more than that there was no answer. */
const explainCode = (code: string, address: string): Explanation | undefined => {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { detail: `expected a host at ${address}, its name is not known (${code})`, hint: 'check the name in SERVICE_API_URL or --addr' }
  }
  if (tlsCodes.test(code)) {
    return {
      detail: `expected a certificate for ${address} that can be trusted, got another (${code})`,
      hint: 'name the authority that signed it in SERVICE_CA_FILE; a certificate that is out of date or of another name must be renewed',
    }
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return { detail: `expected TLS at ${address}, got something else (${code})`, hint: 'a unit itself speaks http: is this its address?' }
  }
  if (code.startsWith('HPE_') || code === 'ECONNRESET') {
    return { detail: `expected HTTP at ${address}, the connection broke (${code})`, hint: 'check the port, and whether it wants https' }
  }
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { detail: `expected a way to ${address}, found none (${code})`, hint: 'check the network, or reach it through HTTPS_PROXY' }
  }
  if (code.startsWith('ERR_PROXY')) {
    return {
      detail: `expected the proxy to lead to ${address}, it did not (${code})`,
      hint: 'check HTTPS_PROXY, or name the host in NO_PROXY',
    }
  }
  return undefined
}

export const explainSystem: Explain = (error, address) => explainCode(codeOf(error), address) ?? noAnswer(error, address)
