// Signs the list of checksums: ECDSA over SHA-256 on P-256, in base64, as cosign and openssl both read it.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'

export const readSigningKey = (pem: string): KeyObject => {
  const key = createPrivateKey(pem)
  const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key
  if (kind === 'ec' && details?.namedCurve === 'prime256v1') return key
  throw new Error(`expected a private key on the curve P-256, got ${kind ?? 'something else'} ${details?.namedCurve ?? ''}`.trim())
}

export const signText = (text: string, key: KeyObject): string => `${sign('sha256', Buffer.from(text), key).toString('base64')}\n`
