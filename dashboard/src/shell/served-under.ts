/** What stands before every path of the service's, where a proxy serves it under one: the service writes it into the page. */
export const servedUnder = document.documentElement.dataset.root ?? ''
