// Entry of the console: puts the application on the page.
import { render } from 'preact'
import { App } from './app.tsx'
import './style.css'

const place = document.querySelector('#app')
if (place === null) throw new Error('the page has no #app')
render(<App />, place)
