/** As the API specification has it: three dot-separated parts. */
export const NODE_ID = /^[A-Za-z0-9_-]{1,63}\.[A-Za-z0-9_-]{1,63}\.[A-Za-z0-9_-]{1,63}$/
