// Whether somebody listens on a socket: it has a name before it has ears.
import { connect } from 'node:net'

export const listens = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
