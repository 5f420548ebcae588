-- SPDX-License-Identifier: MIT
-- workload.lua - a program for a traced Lua, whose calls a second counter counts. No result
-- depends on time, on chance or on addresses, and the order of tables with objects as keys
-- has no effect.

local sum = 0
local function check(what, got, wanted)
	if got ~= wanted then
		error(what .. ": " .. tostring(got) .. " instead of " .. tostring(wanted))
	end
	print(what, got)
end

-- Replaces math.random, which is seeded with an address.
local state = 42
local function random(limit)
	state = (state * 1103515245 + 12345) % 2147483648
	return state // 65536 % limit + 1
end

-- Coroutines: permutations, and errors across a resume.
local function permute(list, n)
	if n == 0 then coroutine.yield(table.concat(list)) end
	for i = 1, n do
		list[i], list[n] = list[n], list[i]
		permute(list, n - 1)
		list[i], list[n] = list[n], list[i]
	end
end
local count, last = 0, nil
for word in coroutine.wrap(function() permute({"a", "b", "c", "d", "e", "f", "g"}, 7) end) do
	count, last = count + 1, word
end
check("permutations", count, 5040)
local broken = coroutine.create(function() coroutine.yield(1); error({code = 7}) end)
coroutine.resume(broken)
local good, reason = coroutine.resume(broken)
check("a coroutine's error", tostring(good) .. reason.code, "false7")

-- Errors: pcall in pcall, xpcall with a handler, to-be-closed variables, stack overflow.
local function fail_at(depth)
	if depth == 0 then error("bottom", 0) end
	local closed <close> = setmetatable({}, {__close = function() sum = sum + 1 end})
	fail_at(depth - 1)
end
local caught = 0
for depth = 1, 60 do
	local ok, message = pcall(function()
		local inner, text = pcall(fail_at, depth)
		error(text .. tostring(inner), 0)
	end)
	if not ok and message == "bottomfalse" then caught = caught + 1 end
end
check("caught", caught, 60)
check("closed", sum, 1830)
local function forever() return 1 + forever() end
check("overflow", (select(2, xpcall(forever, function(m) return (m:gsub(".*stack", "stack", 1):sub(1, 14)) end))), "stack overflow")
for _, bad in ipairs {"x = = 1", "for", "return 'open", "goto nowhere", "return ...", "local x <const> = 1; x = 2"} do
	local chunk, message = load(bad, "=bad")
	print(bad, chunk and "compiles" or message)
end
for _, call in ipairs {"nil + 1", "#5", "({}) < ({})", "('x')()", "('a'):rep(-1, 5) .. {}", "1 // 0", "2^53 | 0.5"} do
	print(call, select(2, pcall(load("return " .. call, "=call"))))
end

-- Strings: patterns, formats, packing.
local text = {}
for i = 1, 3000 do text[#text + 1] = string.format("%05d:%x=%q", random(99999), i, ("w" .. i):rep(random(3), "-")) end
text = table.concat(text, "\n")
local words, digits = 0, 0
for key, hex in text:gmatch("(%d+):(%x+)=") do
	words, digits = words + 1, digits + tonumber(hex, 16) + tonumber(key) % 7
end
check("words", words, 3000)
print("digits", digits)
print("substituted", select(2, text:gsub("%f[%w]w(%d+)", function(d) return d % 2 == 0 and "<" .. d .. ">" or nil end)))
print("balanced", ("f(a(b)c)(d)"):find("%b()"), text:reverse():upper():byte(1, 4))
local packed = string.pack("<i4 z s2 d", -7, "zero", "counted", 0.5)
check("packed", table.concat({string.unpack("<i4 z s2 d", packed)}, ","), "-7,zero,counted,0.5,27")
for _, code in utf8.codes("grüße, мир") do sum = sum + code end
check("utf-8", utf8.len("grüße, мир") .. " " .. sum, "10 5951")

-- Tables: sort with and without a function, insert, remove, move, pairs.
local list = {}
for i = 1, 20000 do list[i] = random(1000000) end
table.sort(list)
for i = 2, #list do assert(list[i - 1] <= list[i]) end
table.sort(list, function(a, b) return a % 1000 > b % 1000 end)
for i = 1, 500 do table.insert(list, i * 3, -i); sum = sum + table.remove(list, i) end
print("list", #list, sum, #table.move(list, 1, 100, 50, {}), select("#", table.unpack(list, 1, 200)))
local numbers = {}
for i = 1, 5000 do numbers[i * 7 % 4999] = i; numbers[i .. ""] = i; if i % 3 == 0 then numbers[i .. ""] = nil end end
local pairs_seen = 0
for _, value in pairs(numbers) do pairs_seen = pairs_seen + value end
print("pairs", pairs_seen)

-- Metatables: a number type, inheritance, __index functions, weak tables, finalizers.
local Complex = {}
Complex.__index = Complex
local function complex(re, im) return setmetatable({re = re, im = im}, Complex) end
function Complex.__add(a, b) return complex(a.re + b.re, a.im + b.im) end
function Complex.__mul(a, b) return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re) end
function Complex.__eq(a, b) return a.re == b.re and a.im == b.im end
function Complex.__lt(a, b) return a:norm() < b:norm() end
function Complex.__concat(a, b) return tostring(a) .. tostring(b) end
function Complex.__tostring(a) return string.format("%g%+gi", a.re, a.im) end
function Complex.__call(a, k) return a.re * k end
function Complex.__len() return 2 end
function Complex:norm() return self.re ^ 2 + self.im ^ 2 end
local inside = 0
for y = -20, 20 do
	for x = -40, 20 do
		local c, z = complex(x / 20, y / 20), complex(0, 0)
		local step = 0
		while step < 40 and z:norm() < 4 do z = z * z + c; step = step + 1 end
		if step == 40 then inside = inside + 1 end
	end
end
print("inside", inside, complex(1, 2) .. complex(3, -4), complex(1, 2) == complex(1, 2), complex(1, 0) < complex(0, 2), #complex(1, 1), complex(3, 0)(2))
local base = {hello = function() return "hello" end}
local object = setmetatable({}, {__index = setmetatable({}, {__index = function(_, key) return base[key] end})})
check("inherited", object.hello(), "hello")
local finalized, weak = 0, setmetatable({}, {__mode = "v"})
for i = 1, 2000 do weak[i] = setmetatable({}, {__gc = function() finalized = finalized + 1 end}) end
collectgarbage()
collectgarbage()
check("finalized", finalized, 2000)
check("weak", next(weak), nil)
collectgarbage("generational")
for i = 1, 20000 do sum = sum + #{i, {i}} end
collectgarbage("incremental")

-- Compiling: a large chunk, dumped and loaded again.
local source = {"local t = {}"}
for i = 1, 150 do
	source[#source + 1] = string.format(
		"t[%d] = function(a, ...) local b <const> = %d; if a > b then return a - b, ... elseif a == b then goto done end " ..
		"for i = 1, a do a = a + (i ~ b) & 0xff end ::done:: return a end", i, i * 3)
end
source[#source + 1] = "local s = 0; for i, f in ipairs(t) do s = s + f(i) end; return s"
local chunk = assert(load(table.concat(source, "\n")))
check("chunk", chunk(), load(string.dump(chunk, true), "dumped", "b")())

-- Recursion, tail calls, varargs, integer and float arithmetic.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
check("fib", fib(23), 28657)
local function loop(n, acc) if n == 0 then return acc end return loop(n - 1, acc + n) end
check("tail calls", loop(100000, 0), 5000050000)
check("varargs", select("#", table.unpack({}, 1, 150)), 150)
print("numbers", 7 // 2, -7 // 2, 7 % -3, 2 ^ 0.5, 1 << 62, 5 // 0.0, math.tointeger(3.0), math.ult(1, -1), 0x1p4, tostring(1e15), 10 // 3.0, math.type(1), math.fmod(-5, 3))

-- Files and the debug library.
local name = "squares.txt"
local file = assert(io.open(name, "w+"))
for i = 1, 300 do file:write(i, " ", i * i, "\n") end
file:seek("set")
local squares = 0
for a, b in file:lines("n", "n") do squares = squares + b - a end
file:close()
os.remove(name)
check("squares", squares, 9045050 - 45150)
check("no file", select(2, io.open("/no/such/file")), "/no/such/file: No such file or directory")
local lines = 0
debug.sethook(function() lines = lines + 1 end, "l")
for i = 1, 100 do
	sum = sum + i
end
debug.sethook()
print("lines", lines, debug.getinfo(1, "S").what, debug.traceback("trace", 1):match("^trace\nstack traceback:"))
