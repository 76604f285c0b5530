// Public surface of the registry on loopback.
export { type Registry, serveRegistry } from './serve.ts'
export { type SignOptions, signOnShelf } from './sign.ts'
