package fiscal

// Laws are those of the table, in its order.
var Laws = laws
